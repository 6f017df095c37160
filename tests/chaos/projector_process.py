"""A projector as a process of its own, for tests that kill and stop it.

`python -m tests.chaos.projector_process URL PARTITIONS` ends with 0 after SIGTERM and with 3 when it was
fenced.
"""

import asyncio
import signal
import sys
import time

from service.errors import LeaseLost
from service.keys import KeySpace
from service.projector import Projector, ProjectorLimits
from service.read_ahead import ReadLimits
from service.sealing import SealLimits
from service.source_redis import RedisSource
from service.store_redis import RedisStore

FENCED = 3


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        """Epoch milliseconds."""
        return time.time_ns() // 1_000_000


async def main(url: str, partition_count: int) -> int:
    """Project until SIGTERM."""
    keys = KeySpace(partition_count)
    store, source = RedisStore(url, keys), RedisSource(url, keys)
    # Small batches: many instants at which to be killed.
    limits = ProjectorLimits(
        read=ReadLimits(first_count=20, most_count=50, block_ms=50), seal=SealLimits(rest_ms=0, check_ms=20)
    )
    projector = Projector(store, source, range(partition_count), SystemClock(), limits=limits)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, projector.stop)
    try:
        await projector.run()
    except LeaseLost:
        return FENCED
    finally:
        await store.close()
        await source.close()
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1], int(sys.argv[2]))))
