"""Rows that each reader recognises, one or more a benchmark and a result format; authored."""

import authored
import benchmark_rows
import modified

CASE = authored.row(label=1)
EVALSCOPE = {"model_output": {"choices": []}, "messages": [], "metadata": CASE}
POOLING = {"id": "p", "object": "list", "model": "a-prm", "data": [{"index": 0, "object": "pooling", "data": [[1.0]]}]}
CHOICE = {"index": 0, "message": {"role": "assistant", "content": "\\boxed{1}"}, "finish_reason": "stop"}
SCORES = {"step_level_validity_scores": [0.9], "step_level_validity_labels": [True]}
ANSWERED = {"pred_error_idx": 2, "raw_response": "It is \\boxed{2}", "model_key": "a", "api_failed": False}

RESULTS = {
    "mr_eval": [
        {"task_name": "t", "model_name": "a-prm", "results": {"scores": SCORES, "idx": "circular_a_1"}},
        {"scores": SCORES, "idx": "circular_a_1"},
    ],
    "grben_prm": [{"id": "physics-1", "gt_label": 2, "pred_label": 2, "threshold": 0.5, "probs": [0.9, 0.1]}],
    "grben_llm": [{**benchmark_rows.grben(), **ANSWERED}],
    "processbench_output": [
        {**CASE, "generated_critique": "\\boxed{1}", "prediction": 1, "match": True},
        {**CASE, "generated_critique": ["\\boxed{1}"] * 8, "prediction": 1, "match": True},
        {**CASE, "prediction": 1, "match": True},
    ],
    "rprm_processbench": [{**CASE, "responses": [0.9, 0.1, 0.5], "PRM_CoT": ["a", "b", "c"], "match": 1}],
    "evalscope": [
        {"index": 0, "model": "a", **EVALSCOPE},
        {"index": 0, "target": "1", "messages": [], "sample_score": {"score": {"value": {}}, "sample_metadata": CASE}},
    ],
    "vllm_pooling": [
        POOLING,
        {"id": "b", "custom_id": "c", "response": {"status_code": 200, "body": POOLING}, "error": None},
    ],
    "reasoneval": [{"id": 1, "scores": [0.9, 0.1]}, {"id": 1, "scores": [[0.1, 0.1, 0.8]]}],
    "reasoneval_critic": [{"id": 1, "response": "r", "correctness_pred": "Wrong", "error_step_pred": "2"}],
    "hard2verify_verifier": [{**benchmark_rows.hard2verify(), "parsed_eval_output": [1, 0, -2]}],
    "deltabench_critic": [{**benchmark_rows.deltabench(), "critic": "Conclusion: no error", "judge": 0}],
    "cached_scores": [{"benchmark": "b", "prm_name": "a", "problem_id": 1, "candidate_index": 0, "step_scores": [0.9]}],
    "agentprocessbench_judge": [benchmark_rows.judged_trajectory()],
    "lm_eval": [{"doc_id": 0, "doc": CASE, "resps": [["\\boxed{1}"]], "filtered_resps": ["1"], "filter": "none"}],
    "openai_batch": [
        {"id": "b", "custom_id": "c", "response": {"status_code": 200, "body": {"choices": [CHOICE]}}, "error": None}
    ],
    "phoenix": [{"span_id": "s", "annotation_name": "good", "annotator_kind": "LLM", "score": 0.5, "label": "so"}],
    "opencompass": [{"0": {"origin_prompt": "p", "prediction": "\\boxed{1}", "gold": 1}}],
    "inspect_log": [{"version": 2, "status": "success", "eval": {"model": "a"}, "plan": {}, "samples": []}],
}
BENCHMARKS = {
    "processbench": [CASE],
    "prmbench": [modified.row()],
    "grben": [benchmark_rows.grben()],
    "mrmath": [benchmark_rows.mrmath()],
    "mrmath_redundant": [benchmark_rows.mrmath_redundant()],
    "reasoneval_pairs": [benchmark_rows.reasoneval_pair()],
    "prm800k": [benchmark_rows.prm800k()],
    "stepwise": [benchmark_rows.stepwise()],
    "math_shepherd": [benchmark_rows.math_shepherd()],
    "verl": [benchmark_rows.verl()],
    "trl_grpo": [benchmark_rows.trl_grpo()],
    "verifiers": [benchmark_rows.verifiers()],
    "deltabench": [benchmark_rows.deltabench()],
    "hard2verify": [benchmark_rows.hard2verify(), benchmark_rows.encrypted(benchmark_rows.hard2verify())],
    "visualprocessbench": [benchmark_rows.visualprocessbench()],
    "agentprocessbench": [benchmark_rows.trajectory()],
    "toolprmbench": [benchmark_rows.action_pair()],
    "trajectories": [benchmark_rows.agent_run()],
}
