import { password, visitor } from '../http/visitor.ts'

/**
 * `bun flood.ts <url> <first> <count>`: signs in that many accounts at the same time, and prints how many succeeded and
 * how many were refused with Retry-After, as the last ones are on a slow machine.
 */
const [url = '', first, count] = process.argv.slice(2)
const answers = Array.from({ length: Number(count) }, (_, i) => {
  const n = Number(first) + i
  return visitor({ url }, `10.8.${n >> 8}.${n & 255}`).post('sign-in', { email: `person${n}@lamps.example`, password })
})
const statuses = (await Promise.all(answers)).map(({ status }) => status)
const signedIn = statuses.filter(status => status === 200).length
console.log(JSON.stringify({ signedIn, refused: statuses.filter(status => status === 503).length }))
