// The differences from the package jsonrepair, each with a text that shows it and its reason.

export interface Difference {
  text: string;
  why: string;
}

export const DIFFERENCES: Difference[] = [
  { text: 'Sure! {"a": 1} Enjoy.', why: "The value is found in the text around it." },
  { text: '```json\n{"a": 1}\n```\nThat is all.', why: "A code block is left, and what is after it ignored." },
  { text: '<think>{"b": 2}?</think>{"a": 1}', why: "Reasoning is not the answer." },
  { text: '{"a": 1}\n\nWait, corrected:\n\n{"a": 2}', why: "Of several answers, the one that the text decides for." },
  { text: '{"a": "She said "hi", and left"}', why: "The string ends where it was meant to." },
  { text: '{"a": u"x", "b": b"y"}', why: "Python's prefixes are no words of the value." },
  { text: "{''a'': ''x''}", why: "Doubled quotes are one quote." },
  { text: "{«a»: «x»}", why: "So are quotes of other languages." },
  { text: '{"a": 1;"b": 2}', why: "A semicolon between members is a comma." },
  { text: '{"a" = 1}', why: "An equals sign after a key is a colon." },
  { text: '{"a": 1}{"b": 2}', why: "Documents in a row are a list, also without a line break." },
  { text: '"a": 1, "b": 2', why: "Members without braces are an object." },
  { text: '{"n": 1_000}', why: "A number with separators is a number." },
  { text: '{"n": 0x1F}', why: "So is one to another base." },
  { text: '{"n": 2n}', why: "And a bigint." },
  { text: '{"n": NaN}', why: "JSON has no such number, and the word is no string." },
  { text: '{"n": 12.', why: "The number was cut off: no digit is invented." },
  { text: '{"a": "caf\\xe9"}', why: "Python's escape of a character." },
  { text: '{"a": 1, "b"}', why: "A last key without a value has null." },
  { text: "hello(world)", why: "The brackets of a call are no part of its argument." },
  { text: '{"a": "C:\\apps"}', why: "A backslash that escapes nothing is one of the text." },
  { text: '{"a": "\\u26"}', why: "So is that of half an escape." },
  { text: '{"a": "\\ud83d"}', why: "Half a surrogate pair is no character." },
  { text: '{"n": -}', why: "A sign alone is no number." },
  { text: "1\n2", why: "A list without brackets gets them without white space around." },
  { text: "a\nb", why: "Words over several lines are one string." },
  { text: "a,b", why: "Words with commas too." },
  { text: "`a'", why: "A string ends with the quote that it began with." },
  { text: '{"name": "resize", "a"b": {"c": 1}}]', why: "A quote in a key is refused: it may end there." },
  { text: "{a 'b'}", why: "So is a key without quotes and without its colon." },
  { text: "callback(2); // done", why: "A comment behind a call is refused: what it is part of is unclear." },
  { text: '{"a":\u00a0"x"}', why: "White space that JSON does not have is removed." },
];
