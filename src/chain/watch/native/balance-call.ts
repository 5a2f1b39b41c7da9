import { readBigint, toQuantity } from '../../rpc/hex.ts'
import { type RpcAnswer, type RpcCall, resultOf } from '../../rpc/rpc.ts'

/** A block for a state query. Without a hash it is so deep that its number identifies it. */
export type BlockRef = { readonly number: number; readonly hash: string | undefined }

export const balanceCall = (address: string, place: BlockRef | 'latest'): RpcCall => ({
  method: 'eth_getBalance',
  params: [address, place === 'latest' ? place : blockParameter(place)],
})

export const balanceOf = (answer: RpcAnswer): bigint => readBigint(resultOf(answer), 'a balance')

export const blockParameter = ({ number, hash }: BlockRef) =>
  hash === undefined ? toQuantity(number) : { blockHash: hash }

export const codeCall = (address: string, place: BlockRef): RpcCall => ({
  method: 'eth_getCode',
  params: [address, blockParameter(place)],
})
