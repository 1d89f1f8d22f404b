COIN = 4


def fare(crossings: int, age: int) -> int:
    price = crossings * COIN + 1
    return price if age > 7 else price // 2
