from .models import LIMIT, User


def compute_total(users: list[User]) -> int:
    user = users[0]
    user.hello()
    return min(len(users), LIMIT)


def unused() -> None:
    pass
