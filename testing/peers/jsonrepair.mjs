// Answers one JSON string a line with {"ok": bool, "out": text}.
import { createInterface } from 'node:readline'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(process.cwd(), 'package.json'))
const { jsonrepair } = require('jsonrepair')

for await (const line of createInterface({ input: process.stdin })) {
  let row
  try {
    row = { ok: true, out: jsonrepair(JSON.parse(line)) }
  } catch (error) {
    row = { ok: false, out: String(error.message) }
  }
  console.log(JSON.stringify(row))
}
