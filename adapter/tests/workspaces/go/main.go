package main

import "example.org/shop/store"

func main() {
	user := &store.User{Name: "é😀"}; user.Hello()
	println(user.Hello(), store.Limit)
}
