import { expect, test } from 'bun:test'
import { type } from 'arktype'
import { cellsOf, columnsOf } from '../../src/http/exports/columns.ts'
import { csvLine } from '../../src/http/exports/csv.ts'
import { exportKinds } from '../../src/http/exports/kinds.ts'

test('cells are quoted by RFC 4180, and a line ends with CRLF', () => {
  expect(csvLine(['a', 'a b', 'a,b', 'a"b', 'a\nb', 'a\rb', 'ä€😀'])).toBe('a,a b,"a,b","a""b","a\nb","a\rb",ä€😀\r\n')
  expect(csvLine([null, undefined, '', 0, -5, true, false, 1.5])).toBe(',,"",0,-5,true,false,1.5\r\n')
  expect(csvLine([{ a: 'x"y' }, ['=1'], []])).toBe('"{""a"":""x\\""y""}","[""=1""]",[]\r\n')
})

test('texts that a spreadsheet reads as a formula get an apostrophe, and numbers do not', () => {
  for (const sign of ['=', '+', '-', '@', '\t', '\r']) {
    const [cell] = csvLine([`${sign}1`]).split('\r\n')
    expect(csvLine([`${sign}1`])).toBe(sign === '\r' ? `"'\r1"\r\n` : `'${sign}1\r\n`)
    expect(cell).toBeDefined()
    expect(csvLine([`a${sign}1`]).startsWith(sign === '\r' ? '"a' : 'a')).toBe(true)
  }
  expect(csvLine(['=HYPERLINK("x";"y")', ' =1', "'=1"])).toBe(`"'=HYPERLINK(""x"";""y"")", =1,'=1\r\n`)
  expect(csvLine([-1, '-1'])).toBe("-1,'-1\r\n")
})

test('columns are the fields with a dot between the names, in the order of the example', () => {
  const shape = {
    name: 'Toy',
    type: () =>
      type({
        b: type({ y: 'string', x: type({ n: 'number' }).or('null') }).or('null'),
        a: 'string | null',
        list: type({ a: 'string' }).array(),
        open: { '[string]': 'string' },
        hidden: { secret: 'string' },
      }),
    example: { b: { x: { n: 1 }, y: '' }, open: {}, list: [], hidden: { secret: '' }, a: null },
  }
  const columns = columnsOf(shape, ['hidden'])
  expect(columns.map(({ name }) => name)).toEqual(['b.x.n', 'b.y', 'open', 'list', 'a'])
  const cells = cellsOf(columns)
  expect(cells({ b: { x: { n: 1 }, y: '=' }, open: { k: 'v' }, list: [], a: null })).toEqual([
    1,
    '=',
    { k: 'v' },
    [],
    null,
  ])
  expect(cells({ b: null, open: {}, list: [], a: 'a' })).toEqual([null, null, {}, [], 'a'])
})

/** A program of a merchant reads columns by their names, and a spreadsheet by their places: a change here breaks them. */
test.each(Object.keys(exportKinds) as (keyof typeof exportKinds)[])('the columns of %s are stable', name => {
  const { record, secrets } = exportKinds[name]
  expect(columnsOf(record, secrets).map(each => each.name)).toMatchSnapshot()
})
