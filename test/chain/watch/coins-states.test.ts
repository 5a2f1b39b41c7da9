import { expect, test } from 'bun:test'
import { RpcRefusal } from '../../../src/chain/rpc/rpc.ts'
import { toldOrGone } from '../../../src/chain/watch/coins/states.ts'

const LIMIT_EXCEEDED = -32005

/** What is told of a state when the questions are answered so, one after the other. */
const found = (isTold: (asked: 'it' | 'newer', question: number) => boolean, code = -32000): Promise<string> => {
  let questions = 0
  const ask = (asked: 'it' | 'newer') => async () => {
    if (!isTold(asked, questions++)) throw new RpcRefusal('eth_getBalance', code)
    return 'told'
  }
  return toldOrGone(ask('it'), ask('newer')).catch(error => {
    expect(error).toBeInstanceOf(RpcRefusal)
    return 'refused'
  })
}

test('a state is gone when it is refused each time and a newer one never', async () => {
  expect(await found(asked => asked === 'newer')).toBe('gone')
})

test('nothing is gone at a node that refuses all, or that says it is a limit', async () => {
  expect(await found(() => false)).toBe('refused')
  expect(await found(asked => asked === 'newer', LIMIT_EXCEEDED)).toBe('refused')
})

test.each([1, 2, 3, 4, 5])('what is told after %d questions is not gone', async questions => {
  expect(await found((asked, question) => asked === 'newer' || question >= questions - 1)).toBe('told')
})

test('a node that answers so many a second never makes a state look gone, whatever the rate', async () => {
  for (let percent = 0; percent < 100; percent++)
    for (let start = 0; start < 1; start += 0.05) {
      const tokensBy = (question: number) => Math.floor(start + (question * percent) / 100)
      const said = await found((_, question) => tokensBy(question + 1) > tokensBy(question))
      expect({ percent, start, isGone: said === 'gone' }).toEqual({ percent, start, isGone: false })
    }
})
