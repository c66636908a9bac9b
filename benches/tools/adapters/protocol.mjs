// The side of a tool: reads requests, calls the function of their task, writes and times the results.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

// Packages are those of the folder in which the adapter runs.
export const require = createRequire(join(process.cwd(), 'package.json'))

// What takes longer is not repeated, in seconds.
const PATIENCE = 0.01

async function answer(request, tasks) {
  const work = tasks[request.task]
  if (!work) return { skipped: 'no such task' }
  let seconds = 0
  const row = {}
  const timed = async (make) => {
    const start = process.cpuUsage()
    try {
      const made = make()
      return made instanceof Promise ? await made : made
    } finally {
      const used = process.cpuUsage(start)
      seconds += (used.user + used.system) / 1e6
    }
  }
  try {
    if (request.task === 'stream') {
      const { push, finish } = work(request)
      const show = new Set(request.show)
      let soFar = ''
      row.views = []
      for (const [index, piece] of request.pieces.entries()) {
        soFar += piece
        let value
        try {
          value = await timed(() => push(piece, soFar))
        } catch {
          value = null
        }
        // A copy, since a tool may go on with the same object.
        if (show.has(index)) row.views.push(JSON.parse(JSON.stringify(value ?? null)))
      }
      row.value = await timed(() => finish(soFar))
    } else {
      const made = await timed(() => work(request))
      Object.assign(row, made && typeof made === 'object' && 'text' in made ? made : { value: made })
    }
    return { ...row, seconds }
  } catch (error) {
    return { refused: String(error.message).slice(0, 200), seconds }
  }
}

// Answers all requests. A task is a function from a request to a value, or to `{ text }` with JSON; an exception is a
// refusal. That of `stream` returns `push`, from a piece and the text so far to the value so far, and `finish`.
export async function serve(tasks) {
  for await (const line of createInterface({ input: process.stdin })) {
    const row = await answer(JSON.parse(line), tasks)
    // Of up to three runs, the fastest counts: the first one finds nothing in the processor's caches.
    for (let run = 0; run < 2 && row.seconds < PATIENCE; run++) {
      row.seconds = Math.min(row.seconds, (await answer(JSON.parse(line), tasks)).seconds)
    }
    console.log(JSON.stringify(row))
  }
}
