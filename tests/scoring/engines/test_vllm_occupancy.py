from types import SimpleNamespace

from scoring.engines.vllm_occupancy import Occupancy, OccupancyRecorder


def test_only_steps_that_ran_something_count():
    kept = Occupancy(seats=8)
    recorder = OccupancyRecorder(kept)(None, 0)
    for running, waiting in ((8, 2), (8, 0), (2, 0), (0, 5)):
        recorder.record(SimpleNamespace(num_running_reqs=running, num_waiting_reqs=waiting), None, engine_idx=0)
    recorder.record(scheduler_stats=None)
    assert kept == Occupancy(seats=8, steps=3, running=18, most=8, waited=1)
    assert str(kept) == "6.0 requests ran together on average and 8 at most, of 8 that vLLM takes"


def test_before_the_first_step_nothing_ran():
    assert Occupancy(seats=8).mean == 0.0
