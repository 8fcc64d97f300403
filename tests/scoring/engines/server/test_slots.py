import asyncio

from scoring.engines.server.chat import Slots


async def test_no_more_than_the_places_and_the_lowest_number_first():
    slots, at_once, most, order = Slots(2), 0, 0, []

    async def one(number):
        nonlocal at_once, most
        async with slots.taken(number):
            at_once += 1
            most = max(most, at_once)
            order.append(number)
            await asyncio.sleep(0.001)
            at_once -= 1

    await asyncio.gather(*(one(number) for number in (9, 8, 7, 3, 5, 1, 3)))
    assert most == 2
    assert order == [9, 8, 1, 3, 3, 5, 7]


async def test_a_place_is_not_lost_when_who_waits_is_cancelled():
    slots = Slots(1)

    async def hold():
        async with slots.taken(0):
            await asyncio.sleep(10)

    tasks = [asyncio.create_task(hold()) for _ in range(4)]
    await asyncio.sleep(0)
    for task in (tasks[2], tasks[0], tasks[1], tasks[3]):
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    async with asyncio.timeout(1), slots.taken(0):
        pass


async def test_a_place_that_was_just_given_is_given_on():
    slots = Slots(1)
    entered = asyncio.Event()

    async def wait():
        async with slots.taken(1):
            entered.set()

    async with slots.taken(0):
        first, second = asyncio.create_task(wait()), asyncio.create_task(wait())
        await asyncio.sleep(0)
    # The first has its turn and has not run yet.
    first.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert entered.is_set()
    assert second.exception() is None
