/** Runs functions with the same name one after the other. */
export type NamedLocks = <T>(name: string, act: () => Promise<T>) => Promise<T>

export const openNamedLocks = (): NamedLocks => {
  const last = new Map<string, Promise<unknown>>()
  return (name, act) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(act)
    const ended = turn.catch(() => {})
    last.set(name, ended)
    void ended.then(() => {
      if (last.get(name) === ended) last.delete(name)
    })
    return turn
  }
}
