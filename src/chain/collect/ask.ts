/** A node of one chain, asked many things in one POST; what it said no to stands in its place as an Error. */
export type Ask = (calls: readonly Call[]) => Promise<readonly unknown[]>

export type Call = { readonly method: string; readonly params: readonly unknown[] }

/** One question; undefined when the node said no. */
export const askOne = async (ask: Ask, method: string, params: readonly unknown[]): Promise<unknown> => {
  const [answer] = await ask([{ method, params }])
  return answer instanceof Error ? undefined : answer
}
