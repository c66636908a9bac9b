//! The keys of calls in JSON, in the APIs and as models write them.

/// Keys of the name, most usual first.
pub(super) const NAME_KEYS: &[&str] = &[
    "name",
    "tool_name",
    "toolName",
    "tool",
    "function",
    "action",
    "recipient_name",
    "function_name",
    "functionName",
    "func_name",
    "tool_id",
    "method",
    "command",
    "api",
    "api_name",
    "func",
];
/// Keys of the arguments, most usual first.
pub(super) const ARGUMENT_KEYS: &[&str] = &[
    "arguments",
    "parameters",
    "args",
    "input",
    "tool_input",
    "toolInput",
    "action_input",
    "params",
    "kwargs",
    "inputs",
    "tool_args",
    "tool_arguments",
    "tool_parameters",
    "function_args",
    "function_arguments",
    "arg",
    "parameter",
    "payload",
];
/// Keys of the id.
pub(super) const ID_KEYS: &[&str] = &["id", "tool_call_id", "call_id", "tool_use_id"];
/// Keys whose value holds calls, which only calls have.
pub(super) const CALL_KEYS: &[&str] = &[
    "tool_calls",
    "toolCalls",
    "function_call",
    "tool_call",
    "toolCall",
    "tool_uses",
    "functionCall",
];
/// Keys whose value may hold calls.
pub(super) const OUTER_KEYS: &[&str] = &[
    "function",
    "calls",
    "actions",
    "action",
    "command",
    "tool",
    "tools",
    "content",
    "message",
    "choices",
    "parts",
    "candidates",
    "output",
];
/// Keys beside a call that are no arguments.
pub(super) const NOISE: &[&str] = &[
    "type",
    "index",
    "thought",
    "thoughts",
    "thinking",
    "reason",
    "reasoning",
    "rationale",
    "explanation",
    "confidence",
    "step",
    "role",
    "content",
    "text",
    "jsonrpc",
    "status",
    "namespace",
    "server",
    "caller",
];
/// Keys of the result of a call that was made.
pub(super) const RESULTS: &[&str] = &[
    "result",
    "output",
    "results",
    "response",
    "observation",
    "tool_result",
    "tool_output",
    "error",
    "stdout",
    "stderr",
    "exit_code",
    "expected",
];
/// Names that mean that no tool is called.
pub(super) const PSEUDO: &[&str] =
    &["directly_answer", "directly-answer", "final answer", "final_answer"];
