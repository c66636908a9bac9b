import { require, serve } from './protocol.mjs'

const parsers = {
  'partial-json': () => {
    const { Allow, parse } = require('partial-json')
    // What can be shown without being taken back: neither parts of numbers nor parts of words.
    return (text) => parse(text, Allow.STR | Allow.OBJ | Allow.ARR)
  },
  'best-effort-json-parser': () => require('best-effort-json-parser').parse,
}
const parse = parsers[process.argv[2]]()

serve({ stream: () => ({ push: (_, soFar) => parse(soFar), finish: (text) => JSON.parse(text) }) })
