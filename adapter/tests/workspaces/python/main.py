from pkg import User, total
import pkg.models as models


def main() -> None:
    user = models.User("é😀"); user.hello()
    print(total([user, User("b")]))
    print(user.find(1), "User")


main()
