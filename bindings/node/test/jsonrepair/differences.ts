// The differences from the package jsonrepair, each with a text that shows it and its reason.

export interface Difference {
  text: string;
  why: string;
}

export const DIFFERENCES: Difference[] = [
  // Text around the value.
  { text: 'Sure! {"a": 1} Enjoy.', why: "llmend finds the value in the text around it." },
  { text: '```json\n{"a": 1}\n```\nThat is all.', why: "llmend reads the code block and ignores the text after it." },
  { text: '<think>{"b": 2}?</think>{"a": 1}', why: "JSON in the model's reasoning is not the answer." },
  { text: '{"a": 1}\n\nWait, corrected:\n\n{"a": 2}', why: "Of several answers, llmend takes the one that the text decides for." },
  { text: '{"a": 1}{"b": 2}', why: "Documents in a row become a list, also without a line break between them." },
  { text: '{"a": 1}\nThat is all', why: "Lines of text before or after a document are not items of a list." },
  { text: '{"a": 1}\n[2]\n"c"', why: "Documents in a row become a list only if each is an object or a list." },
  { text: '"a": 1, "b": 2', why: "Members without braces become an object." },
  { text: '{"a": 1};', why: "A semicolon after the value is removed." },
  // Texts that are cut off.
  { text: '{"a": 1, "b":', why: "The text ends before the value of the last key, so llmend leaves the key out and does not invent `null`." },
  { text: '{"a": 1, "b', why: "A key that is cut off itself is left out too." },
  { text: '{"a": 1, "b"}', why: "In an object that is closed, a last key without a value has the value `null`." },
  { text: '{"a": 1\n b: c', why: "In an object that is not closed, an unquoted line behind a quoted key may be prose, so llmend ignores it; `repair` reports it as ignored text." },
  { text: '{"n": 12.', why: "The number was cut off, and llmend does not invent a digit." },
  { text: '{"n": -', why: "A sign alone is not a number, so the member is left out." },
  { text: '[tru', why: "A word that is cut off is completed if only one literal begins with it." },
  { text: '["b,c,]', why: "A string without a closing quote goes on to the end of the text, and its commas are part of it." },
  { text: '{"a": "b]', why: "Brackets after a missing closing quote are part of the string." },
  { text: '"hello +', why: "The plus sign stands before any closing quote, so it is part of the string." },
  { text: '"a" + "b', why: "Strings that are joined by a plus sign are refused if the text is cut off, since the quotes may be part of one string." },
  { text: '\\"hello"', why: "A string that begins with an escaped quote ends with one, so the other quote is part of it." },
  // Strings and quotes.
  { text: '{"a": "She said "hi", and left"}', why: "llmend finds where the string was meant to end." },
  { text: '["abc,/*comment*/"def"]', why: "The missing quote may belong after `abc` or before `def`, and llmend takes the text up to the last quote as one string." },
  { text: '{"a": u"x", "b": b"y"}', why: "The prefixes of Python's strings are not part of the value." },
  { text: "{''a'': ''x''}", why: "Two single quotes in a row are read as one quote." },
  { text: "{«a»: «x»}", why: "The quotes of other languages are read as quotes." },
  { text: "`a'", why: "A string ends with the quote that it began with." },
  { text: "{'a': 'b's'}", why: "An apostrophe in a string stays an apostrophe." },
  { text: '{"a": "caf\\xe9"}', why: "llmend decodes Python's escapes of characters." },
  { text: '{"a": "C:\\apps"}', why: "A backslash that escapes nothing is kept." },
  { text: '{"a": "\\u26"}', why: "The backslash of an incomplete escape is kept." },
  { text: '{"a": "\\ud83d"}', why: "The escape of half a surrogate pair becomes the replacement character." },
  { text: '{"a": "\ud83d"}', why: "Half a surrogate pair has no UTF-8, which the engine reads, so it is refused." },
  // Separators, keys and words.
  { text: '{"a": 1;"b": 2}', why: "A semicolon between members is read as a comma." },
  { text: '{"a" = 1}', why: "An equals sign after a key is read as a colon." },
  { text: '{"a": 1,, "b": 2}', why: "A comma too many is removed." },
  { text: '{"a": 1 b: 2}', why: "Without a comma or a line break, the words may belong to the value before them, so llmend refuses." },
  { text: '["a""b"]', why: "Two quotes in a row may be an escaped quote, so llmend refuses." },
  { text: '{"name": "resize", "a"b": {"c": 1}}]', why: "A quote inside a key is refused, since the key may end there." },
  { text: "{a 'b'}", why: "A key without quotes and without a colon is refused." },
  { text: "a\nb", why: "Words over several lines become one string." },
  { text: "a,b", why: "Words with commas become one string." },
  { text: "1\n2", why: "Numbers without brackets become a list whose brackets have no white space around them." },
  { text: "TRUE", why: "Literals are recognized in any case." },
  { text: '{"a": "x" # c\n}', why: "A number sign begins a comment." },
  { text: '{"a":\u00a0"x"}', why: "White space that JSON does not allow is removed." },
  // Numbers.
  { text: '{"n": 1_000}', why: "A number with digit separators is a number." },
  { text: '{"n": 0x1F}', why: "A hexadecimal number is a number." },
  { text: '{"n": 2n}', why: "A JavaScript bigint is a number." },
  { text: '{"n": +5}', why: "A plus sign before a number is removed." },
  { text: '{"n": NaN}', why: "JSON has no such number, and the word is not meant as a string." },
  { text: '{"n": -}', why: "A sign alone is not a number." },
  { text: "[1,000]", why: "The digits may be one number or two, so llmend refuses." },
  { text: "[2 0.0.1 2]", why: "Where one unquoted item ends and the next begins is unclear, so llmend refuses." },
  // Calls, code and markup.
  { text: "hello(world)", why: "The parentheses of a call are not part of its argument." },
  { text: "{a: bar(1)}", why: "The name of an unknown call inside a value is kept, so the call becomes a string." },
  { text: '{"d": new Date(2020)}', why: "A known constructor is replaced by its argument." },
  { text: '["This is C(2)", This is F(3)]', why: "The missing quotes may begin in several places, so llmend refuses." },
  { text: "callback(2); // done", why: "A comment behind a call is refused, since it may belong to something else." },
  { text: "new Date()", why: "A text without a value is a string only if it has no quotes, brackets or operators, which may be left over from a broken value." },
  { text: "a: b", why: "A member without quotes and braces is refused, since it may be prose." },
  { text: '{"a": ...}', why: "A placeholder instead of each value shows a form and not an answer, so llmend refuses." },
  { text: '[1, ... more]', why: "Words after dots say what was left out, so they are not an item." },
  { text: "[/a,b/]", why: "A regular expression is read like other unquoted text, so a comma in it separates items." },
];
