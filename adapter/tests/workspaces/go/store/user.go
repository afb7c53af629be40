// Package store keeps users.
package store

// User is who somebody is.
type User struct {
	Name string
}

// Hello greets.
func (u *User) Hello() string {
	é := "é😀"
	return u.Name + é
}

// Limit is how many.
const Limit = 10

func unused() {}
