import { type Program, startProgram } from './program.ts'
import type { Owned } from './streams-payments.ts'
import type { StreamShop } from './streams-shop.ts'

export type WriterOptions = Owned & {
  readonly databaseUrl: string
  /** Of all changes; those of a webhook delivery are made by the server. */
  readonly perSecond: number
  /** How many of them the path of a payment counts as. */
  readonly changesOfPayment: number
  /** It ends after as many. */
  readonly changes: number
  /** Payments that are done. Refunds of them are reserved and released. */
  readonly paid: readonly string[]
  /** The number of its first payment. */
  readonly first: number
}

export const startWriter = (
  { databaseUrl, merchantId, links, paid }: StreamShop,
  rate: Pick<WriterOptions, 'perSecond' | 'changesOfPayment' | 'changes' | 'first'>,
): Promise<Program> => {
  const options: WriterOptions = { databaseUrl, merchantId, links, paid, ...rate }
  return startProgram('./streams-writer-program.ts', JSON.stringify(options))
}
