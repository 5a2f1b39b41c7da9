import { type } from 'arktype'
import { isWithin, textOf } from './text.ts'

/** What a merchant keeps with a record: texts by name, which nobody here reads. */
export const metadata = () =>
  type({ '[string]': textOf(0, 200) }).narrow(
    (texts, ctx) =>
      (!Array.isArray(texts) && Object.keys(texts).length <= 20 && Object.keys(texts).every(isName) && fits(texts)) ||
      ctx.mustBe('at most 20 names of at most 40 characters, 4 KiB in all'),
  )

const isName = (name: string): boolean => isWithin(name, 1, 40)

/** As it is stored. */
const fits = (texts: object): boolean => Buffer.byteLength(JSON.stringify(texts)) <= 4_096
