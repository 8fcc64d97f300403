"""How full vLLM was kept, by its own scheduler's figures."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Occupancy:
    """Requests that ran together: over `steps` (passes of the model) `running` in sum and at `most`, of `seats`.

    `waited` counts the steps at which a further request stood ready: in all others an empty seat is the asker's fault.
    """

    seats: int = 0
    steps: int = 0
    running: int = 0
    most: int = 0
    waited: int = 0

    @property
    def mean(self) -> float:
        """Requests a step; 0.0 before the first."""
        return self.running / self.steps if self.steps else 0.0

    def __str__(self) -> str:
        return (
            f"{self.mean:.1f} requests ran together on average and {self.most} at most, of {self.seats} that vLLM takes"
        )


class OccupancyRecorder:
    """A stat logger in vLLM's sense (`vllm.v1.metrics.loggers.StatLoggerBase`): it keeps the running requests alone.

    A request that is finished by its first pass, as every PRM's is, is no longer among those that run.
    """

    def __init__(self, occupancy: Occupancy) -> None:
        self._occupancy = occupancy

    def __call__(self, *_: Any, **__: Any) -> "OccupancyRecorder":
        """VLLM makes its stat loggers with a function of config and engine number; this one is there already."""
        return self

    def record(self, scheduler_stats: Any = None, *_: Any, **__: Any) -> None:
        """One step of the scheduler."""
        if scheduler_stats is None or not scheduler_stats.num_running_reqs:
            return
        running, kept = int(scheduler_stats.num_running_reqs), self._occupancy
        kept.steps += 1
        kept.running += running
        kept.most = max(kept.most, running)
        kept.waited += scheduler_stats.num_waiting_reqs > 0

    def log(self) -> None:
        """Nothing is printed."""

    def log_engine_initialized(self) -> None:
        """Nothing is printed."""

    def record_sleep_state(self, *_: Any, **__: Any) -> None:
        """It never sleeps."""

    def record_admission_rejection(self, *_: Any, **__: Any) -> None:
        """What is refused never ran."""
