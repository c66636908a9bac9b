// Example answers.

const TRIP = JSON.stringify({
  type: "object",
  properties: {
    city: { type: "string" },
    nights: { type: "integer", minimum: 1 },
    budget: { type: "number" },
    arrival: { type: "string", format: "date" },
    pace: { enum: ["slow", "steady", "fast"] },
    guided: { type: "boolean" },
  },
  required: ["city", "nights", "pace"],
  additionalProperties: false,
}, null, 2);

const TOOLS = JSON.stringify([
  { name: "search", description: "Finds pages", parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] } },
  { name: "read_page", description: "Reads a page", parameters: { type: "object", properties: { url: { type: "string" } }, required: ["url"] } },
  { name: "write_note", description: "Keeps a note", parameters: { type: "object", properties: { title: { type: "string" }, text: { type: "string" } }, required: ["title"] } },
], null, 2);

const OFFERED = JSON.stringify([
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "Weather of a city",
      parameters: {
        type: "object",
        properties: {
          city: { type: "string" },
          days: { type: "integer", minimum: 1, maximum: 14 },
          unit: { enum: ["celsius", "fahrenheit"] },
        },
        required: ["city", "days"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: "book_table",
      description: "Books a table",
      parameters: {
        type: "object",
        properties: {
          restaurant: { type: "string" },
          guests: { type: "integer" },
          time: { type: "string" },
          wishes: { type: "array", items: { type: "string" } },
        },
        required: ["restaurant", "guests", "time"],
      },
    },
  },
], null, 2);

export const EXAMPLES = [
  {
    name: "Code block with a comment, surrounded by prose",
    text: `Of course! Here is the shopping list you asked for:

\`\`\`json
{
  "store": "Corner market",
  "open_until": "20:00", // closes early on Sundays
  "items": [
    {"name": "oat milk", "count": 2},
    {"name": "lemons", "count": 6,},
  ],
}
\`\`\`

Let me know if you would like a cheaper list.
`,
  },
  {
    name: "Single quotes and Python literals",
    text: `{'user': 'Noor', 'admin': False, 'quota': None, 'tags': ('new', 'trial'), 'note': 'it\\'s fine'}`,
  },
  {
    name: "Truncated within a key",
    text: `{
  "report": "Harbor traffic, week 31",
  "ships": [
    {"name": "Marianne", "tons": 4200, "berth": 3},
    {"name": "Kittiwake", "tons": 1150, "ber`,
  },
  {
    name: "Quotes within strings",
    text: `{"speaker": "Ada", "line": "He said "not before noon" and hung up.", "scene": 4, "cue": "the "red" lamp"}`,
  },
  {
    name: "Unquoted keys, missing commas",
    text: `config = {
  host: "db-1.internal"
  port: 5432
  retries: 3, timeout: 2.5s
  replicas: [ "db-2" "db-3" ]
}`,
  },
  {
    name: "Wrong types, coerced to a schema",
    schema: TRIP,
    text: `{"City": "Ghent", "nights": "3", "budget": "1,250.50", "arrival": "2026-03-14", "pace": "Steady", "guided": "yes"}`,
  },
  {
    name: "Violates its schema",
    schema: TRIP,
    text: `Here you go:
{"city": "Ghent", "nights": 0, "pace": "as you like", "guided": true, "hotel": "any"}`,
  },
  {
    name: "Reasoning with a draft answer",
    text: `<think>
The user wants an object. Perhaps {"answer": 41}? No, that forgets the last day.
</think>
Final answer: {"answer": 42, "unit": "days"}`,
  },
  {
    name: "Mismatched brackets",
    text: `{"matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1}, "labels": ["x", "y", "z"], "origin": {"x": 0, "y": 0}`,
  },
  {
    name: "Non-Latin scripts, emoji and typographic quotes",
    text: `Gerne! {“ville”: “Besançon”, “城市”: “東京”, “mood”: “🌧️→☀️”, “steps”: 12。5, “note”: “naïve café”}`,
  },
  {
    name: "Tool calls between reasoning and prose",
    tools: OFFERED,
    text: `<think>
They are two on Friday. First the weather, then a table indoors if it rains.
</think>
I will check the forecast and book for you.

<tool_call>
{"name": "get_weather", "arguments": {"city": "Ghent", "days": "3", "unit": "Celsius"}}
</tool_call>
<tool_call>
{"name": "book_table", "arguments": {"restaurant": "De Lieve", "guests": 2, "time": "19:30", "wishes": "window seat"}}
</tool_call>
`,
  },
  {
    name: "Tool calls with faults",
    tools: OFFERED,
    text: `I look up the weather, book the table and call the taxi.

<function=get_weather>
<parameter=city>
Ghent
</parameter>
<parameter=unit>
kelvin
</parameter>
</function>

<function=book_table>
<parameter=restaurant>
De Lieve
</parameter>
<parameter=guests>
2
</parameter>
<parameter=time>
19:30
</parameter>
<parameter=smoking>
no
</parameter>
</function>

<function=call_taxi>
<parameter=to>
De Lieve
</parameter>
</function>
`,
  },
  {
    name: "Tool call written as Python",
    tools: OFFERED,
    text: `[get_weather(city='Liège', days=7)]`,
  },
  {
    name: "Plan with a cycle",
    as: "plan",
    tools: TOOLS,
    text: `I would go about it like this:

\`\`\`json
{
  "objective": "Compare three ferry lines",
  "steps": [
    {"id": "find", "tool": "search", "arguments": {"query": "ferry lines"}},
    {"id": "read", "tool": "read_page", "arguments": {"url": "{{find.first}}"}, "depends_on": ["find", "compare"]},
    {"id": "compare", "tool": "write_note", "arguments": {"title": "Ferries"}, "depends_on": ["read"]},
    {"id": "send", "tool": "send_mail", "arguments": {"to": "me"}, "depends_on": ["compare"]},
  ]
}
\`\`\``,
  },
  {
    name: "Workflow with a loop and a branch",
    as: "plan",
    text: `{nodes: [
  {id: 'again', step_type: 'Loop', name: 'Until the queue is empty', exit_condition: {left: {type: 'Variable', name: 'take.is_empty'}, operator: 'Equals', right: {type: 'Literal', value: {type: 'Bool', value: True}}}, max_iterations: 50},
  {id: 'take', step_type: 'Tool', tool_name: 'take_ticket', arguments: {queue: 'new'}},
  {id: 'urgent', step_type: 'If', name: 'Is it urgent?', condition: {left: {type: 'Variable', name: 'take.level'}, operator: 'Equals', right: {type: 'Literal', value: {type: 'String', value: 'high'}}}},
  {id: 'call', step_type: 'Tool', tool_name: 'page_on_call', arguments: {}},
  {id: 'answer', step_type: 'AiStep', prompt: 'Draft a friendly answer.'},
  {id: 'end', step_type: 'EndLoop', loop_id: 'again'},
  {id: 'done', step_type: 'Tool', tool_name: 'notify', arguments: {text: 'The queue is empty.'}},
], edges: [
  {from: 'again', to: 'take'}, {from: 'again', to: 'done'},
  {from: 'take', to: 'urgent'},
  {from: 'urgent', to: 'call', output: {type: 'IfTrue'}}, {from: 'urgent', to: 'answer'},
  {from: 'call', to: 'end'}, {from: 'answer', to: 'end'},
]}`,
  },
  {
    name: "Nothing to repair",
    text: `{"id": 7205759403792793600123, "ratio": 1.50, "ok": true, "rows": [[1, 2], [3, 4]], "none": null}`,
  },
  {
    name: "Not repairable: an expression",
    text: `{"net": 1480.00, "vat": 1480.00 * 0.25, "currency": "NOK"}`,
  },
  {
    name: "Not repairable: no JSON",
    text: `I am sorry, but I cannot produce that list. Is there anything else I can help you with?`,
  },
  {
    name: "Script injection",
    text: `{'title': '<img src=x onerror="alert(1)">', 'body': '<script>document.title = "taken"</script>', "link": "javascript:alert(1)",}`,
  },
];
