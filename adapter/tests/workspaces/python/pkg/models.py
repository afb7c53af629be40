from typing import overload


class User:
    """Who somebody is."""

    def __init__(self, name: str) -> None:
        self.name = name

    def hello(self) -> str:
        é = "é😀"; greeting = self.name + é; return greeting

    @overload
    def find(self, key: int) -> int: ...
    @overload
    def find(self, key: str) -> str: ...
    def find(self, key):
        return key


LIMIT = 10
