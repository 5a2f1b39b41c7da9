/** Waits until the condition holds; after the timeout it throws an error that names the condition. */
export const until = async <T>(
  condition: () => T | Promise<T>,
  { timeoutMs = 45_000, everyMs = 10, what = condition.toString() }: UntilOptions = {},
): Promise<Truthy<T>> => {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const answer = await condition()
    if (answer) return answer as Truthy<T>
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain for: ${what}`)
    await new Promise(resolve => setTimeout(resolve, everyMs))
  }
}

export type UntilOptions = { readonly timeoutMs?: number; readonly everyMs?: number; readonly what?: string }

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>
