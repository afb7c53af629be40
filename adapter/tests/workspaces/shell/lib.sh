greet() {
  echo "hello $1"
}

unused() {
  :
}
