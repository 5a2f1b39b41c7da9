import { encodeId } from '../ids.ts'
import { type ExampleName, resources } from '../resources.ts'

/** The ID of a resource in all examples, so that the examples belong together. */
export const exampleId = (name: ExampleName): string => {
  const { prefix, example } = resources[name]
  const uuid = `0193a000-0000-7000-8000-${example.toString(16).padStart(12, '0')}`
  return prefix === null ? uuid : encodeId(prefix, uuid)
}

/** Other values of all examples. */
export const example = {
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  txHash: '0x88df016429689c079f3b2f6ad39fa052532c50795b733da78a91ebe6a713944b',
  blockHash: '0x1d59ff54b1eb26b013ce3cb5fc9dab3705b415a67127a003c3e61eb445bb8df2',
  at: '2026-11-20T12:00:00.000Z',
  later: '2026-11-20T12:03:10.250Z',
} as const
