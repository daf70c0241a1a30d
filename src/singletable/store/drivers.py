"""The two drivers: they carry out the steps of a program on a backend, sync and async.

Threads and asyncio are loaded when they are first needed: most programs that import a design need
at most one of them.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from singletable.backends import Backend
from singletable.backends.embedded import EmbeddedBackend

from .steps import Call, ObjectCall, Pause, Program, Step, Together

R = TypeVar("R")

THREADS_MAX = 16


def run(program: Program[R], backend: Backend) -> R:
    """Run a program to its end; whatever goes wrong is raised where the program waits."""
    try:
        step = next(program)
        while True:
            try:
                answer = _perform(step, backend)
            except BaseException as error:  # noqa: BLE001 - the program raises what it does not handle
                step = program.throw(error)
            else:
                step = program.send(answer)
    except StopIteration as end:
        result: R = end.value
        return result


def _perform(step: Step, backend: Backend) -> Any:
    if type(step) is Call:
        return backend.call(step.operation, step.request)
    if type(step) is Together:
        return _side_by_side(step, backend)
    if type(step) is ObjectCall:
        return step.perform()
    assert isinstance(step, Pause)
    return time.sleep(step.seconds)


def _side_by_side(step: Together, backend: Backend) -> list[Any]:
    """Run programs in threads where they would wait for a network, else one after another."""
    if isinstance(backend, EmbeddedBackend) or len(step.programs) == 1:
        return [run(program, backend) for program in step.programs]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(THREADS_MAX, len(step.programs))) as threads:
        # Each in a context of its own, where what observers put into this one is seen.
        runs = [partial(copy_context().run, run, program, backend) for program in step.programs]
        return list(threads.map(lambda one: one(), runs))


async def arun(program: Program[R], backend: Backend) -> R:
    """Run a program to its end without blocking the event loop."""
    try:
        step = next(program)
        while True:
            try:
                answer = await _aperform(step, backend)
            except BaseException as error:  # noqa: BLE001 - the program raises what it does not handle
                step = program.throw(error)
            else:
                step = program.send(answer)
    except StopIteration as end:
        result: R = end.value
        return result


def _aperform(step: Step, backend: Backend) -> Awaitable[Any]:
    if type(step) is Call:
        return backend.acall(step.operation, step.request)
    if type(step) is Together:
        return _agather(step, backend)
    if type(step) is ObjectCall:
        return step.aperform()
    assert isinstance(step, Pause)
    import asyncio

    return asyncio.sleep(step.seconds)


async def _agather(step: Together, backend: Backend) -> list[Any]:
    """Run programs as tasks; when one fails, the others are stopped before the error goes on."""
    import asyncio

    tasks = [asyncio.ensure_future(arun(program, backend)) for program in step.programs]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
