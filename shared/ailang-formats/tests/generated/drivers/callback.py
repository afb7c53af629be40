"""Runs a tool that takes a function, and one with defaults, of the generated code beside it."""

import asyncio
from typing import Any

import web_shop_generated as shop
from ailang_runtime import Runtime

ARTICLE = {"sku": "ab-123", "name": "Lamp", "price": 3, "owner": None}


async def watch(params: dict[str, Any]) -> str:
    await params["each"](ARTICLE)
    return f"watched {params['mixed']}"


def find(params: dict[str, Any]) -> Any:
    print(params)
    return {"items": [ARTICLE]}


async def each(article: Any) -> None:
    print(article["name"])


async def main() -> None:
    runtime = Runtime(shop, tools={"watch": watch, "findArticles": find}, granted=["web-shop/ReadShop"])
    print(await shop.watch(runtime, each=each, mixed=[1]))
    print((await shop.find_articles(runtime, query="lamp")).items[0].state)


asyncio.run(main())
