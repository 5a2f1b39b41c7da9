import { password, visitor } from '../http/visitor.ts'

/**
 * `bun flood.ts <url> <first> <count>`: signs in that many people at once, and says how many came in, and how many
 * were told to come again, as a machine that is slow at the moment tells the last ones.
 */
const [url = '', first, count] = process.argv.slice(2)
const answers = Array.from({ length: Number(count) }, (_, i) => {
  const n = Number(first) + i
  return visitor({ url }, `10.8.${n >> 8}.${n & 255}`).post('sign-in', { email: `person${n}@lamps.example`, password })
})
const statuses = (await Promise.all(answers)).map(({ status }) => status)
const cameIn = statuses.filter(status => status === 200).length
console.log(JSON.stringify({ cameIn, toldToComeAgain: statuses.filter(status => status === 503).length }))
