import { expect, test } from 'bun:test'
import { type Type, type } from 'arktype'
import { Refusal } from '../../src/errors.ts'
import { listOf, listQuery, livemodeQuery, pageOf } from '../../src/http/list.ts'
import { readQuery, strict, validateBody, validateQuery } from '../../src/http/validate.ts'

const attempt = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return [error.code, error.because.param].filter(part => part !== undefined).join(' ')
  }
}

const lamp = type({
  'name?': type('string')
    .pipe(text => text.trim())
    .to('1 <= string <= 20'),
  'shade?': type({
    'url?': type('string')
      .narrow(text => URL.canParse(text))
      .or('null'),
  }),
  'bulbs?': type({ chainId: 'number.integer', asset: 'string' }).array(),
  'notes?': type({ '[string]': 'string <= 5' }).narrow(notes => Object.keys(notes).length <= 2),
})
const proof = type({ code: 'string' }).or({ password: 'string' })

const bodies: readonly [declared: Type | undefined, body: object, outcome: unknown][] = [
  [lamp, {}, {}],
  [lamp, { name: ' a ' }, { name: 'a' }],
  [lamp, { name: '  ' }, 'parameter_invalid name'],
  [lamp, { shade: { x: 1 } }, 'parameter_unknown shade.x'],
  [lamp, { shade: { url: null } }, { shade: { url: null } }],
  [lamp, { shade: { url: 'x' } }, 'parameter_invalid shade.url'],
  [lamp, { bulbs: [{ chainId: 1, asset: 'a', z: 1 }] }, 'parameter_unknown bulbs.0.z'],
  [lamp, { bulbs: [{ chainId: 1 }] }, 'parameter_missing bulbs.0.asset'],
  [lamp, { bulbs: {} }, 'parameter_invalid bulbs'],
  [lamp, { notes: { any: 'a' } }, { notes: { any: 'a' } }],
  [lamp, { notes: { any: 'too long' } }, 'parameter_invalid notes.any'],
  [lamp, { notes: { a: '', b: '', c: '' } }, 'parameter_invalid notes'],
  [lamp, { name: 1, other: 1 }, 'parameter_unknown other'],
  [proof, {}, 'parameter_missing code'],
  [proof, { code: 1 }, 'parameter_invalid code'],
  [proof, { password: 1 }, 'parameter_invalid password'],
  [proof, { password: 'a', z: 1 }, 'parameter_unknown z'],
  [proof, { password: 'a', code: 'b' }, 'parameter_unknown password'],
  [undefined, {}, {}],
  [undefined, { any: 1 }, 'parameter_unknown any'],
]

test.each(bodies)('%#: a valid body, or the name of the invalid field', (declared, body, outcome) => {
  expect(attempt(() => validateBody(strict(declared), body))).toEqual(outcome)
})

const page = { limit: 20, order: 'desc', livemode: false }

const queries: readonly [query: string, outcome: unknown][] = [
  ['', page],
  ['?', page],
  [
    '?limit=1&order=asc&livemode=true&startingAfter=pay_1',
    { limit: 1, order: 'asc', livemode: true, startingAfter: 'pay_1' },
  ],
  ['?limit=100', { ...page, limit: 100 }],
  ['?order=ASC', 'parameter_invalid order'],
  ['?livemode=1', 'parameter_invalid livemode'],
  ['?starting_after=x', 'parameter_unknown starting_after'],
  ['?order=asc%00', 'parameter_invalid order'],
]

test.each(queries)('a list requested with %j', (query, outcome) => {
  const list = strict(listQuery().merge(livemodeQuery()))
  expect(attempt(() => validateQuery(list, readQuery(`http://localhost/v1/lamps${query}`)))).toEqual(outcome)
})

test.each(['0', '101', '-1', '1.5', '1e1', '0x1', '٣', '', '%201', '01'])('a limit of %j is refused', limit => {
  const outcome = attempt(() =>
    validateQuery(strict(listQuery()), readQuery(`http://localhost/v1/lamps?limit=${limit}`)),
  )
  expect(outcome).toBe('parameter_invalid limit')
})

test('a page has the requested number of items and knows whether there are more', () => {
  expect(listOf([1, 2, 3], 2, n => n * 10)).toEqual({ object: 'list', data: [10, 20], has_more: true })
  expect(listOf([1, 2], 2, n => n)).toEqual({ object: 'list', data: [1, 2], has_more: false })
})

test('an invalid id as cursor is refused like an unknown one', async () => {
  const part = { limit: 20, order: 'desc' } as const
  const from = (cursor?: string) =>
    pageOf(
      { ...part, ...(cursor !== undefined && { startingAfter: cursor }) },
      text => (text === 'no id' ? undefined : text),
      async id => (id === 'a' ? 1 : undefined),
    )
  expect(await from()).toEqual({ ...part, after: undefined })
  expect(await from('a')).toEqual({ ...part, after: 1 })
  for (const cursor of ['no id', 'nothing', ''])
    await expect(from(cursor)).rejects.toMatchObject({ code: 'invalid_cursor', because: { param: 'startingAfter' } })
})

test('the message for a refused body names the field', () => {
  const messageOf = (body: object) => {
    try {
      validateBody(strict(lamp), body)
    } catch (error) {
      return error instanceof Refusal ? error.message : undefined
    }
  }
  expect(messageOf({ bulbs: [{ chainId: 1 }] })).toBe('bulbs.0.asset is required and is missing.')
  expect(messageOf({ name: '  ' })).toBe('name has a value that is not allowed.')
  expect(messageOf({ colour: 'red' })).toBe('colour is not a known parameter.')
  expect(messageOf({ [`x${'y'.repeat(200)}`]: 1 })).toBe('The request contains a parameter that is not known.')
})
