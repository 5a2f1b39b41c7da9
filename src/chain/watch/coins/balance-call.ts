import { readBigint, toQuantity } from '../../rpc/hex.ts'
import { type Answer, answered, type Call } from '../../rpc/rpc.ts'

/** A block to ask about. Without a hash it is so deep that its number is enough. */
export type Place = { readonly number: number; readonly hash: string | undefined }

export const balanceCall = (address: string, place: Place | 'latest'): Call => ({
  method: 'eth_getBalance',
  params: [address, place === 'latest' ? place : blockParameter(place)],
})

export const balanceOf = (answer: Answer): bigint => readBigint(answered(answer), 'a balance')

export const blockParameter = ({ number, hash }: Place) =>
  hash === undefined ? toQuantity(number) : { blockHash: hash }

export const codeCall = (address: string, place: Place): Call => ({
  method: 'eth_getCode',
  params: [address, blockParameter(place)],
})
