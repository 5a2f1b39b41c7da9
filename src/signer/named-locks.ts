/** Lets one after the other do what they do under the same name. */
export type NamedLocks = <T>(name: string, act: () => Promise<T>) => Promise<T>

export const openNamedLocks = (): NamedLocks => {
  const last = new Map<string, Promise<unknown>>()
  return (name, act) => {
    const turn = (last.get(name) ?? Promise.resolve()).then(act)
    const over = turn.catch(() => {})
    last.set(name, over)
    void over.then(() => {
      if (last.get(name) === over) last.delete(name)
    })
    return turn
  }
}
