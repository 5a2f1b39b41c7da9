/** What a page needs of the definition that the API answers. */
type Transition = {
  readonly target?: string
  readonly guard?: string
  readonly actions: readonly { readonly type: string; readonly params?: { readonly event: string } }[]
}

type States = Readonly<Record<string, { readonly on: Transitions; readonly after: Transitions }>>
type Transitions = Readonly<Record<string, readonly Transition[]>>

export type StayingEvent = { readonly event: string; readonly guards: readonly string[]; readonly published: string[] }

/** The events that leave a state as it is, with their guards and what they publish. */
export const stayingEvents = (
  definition: Readonly<Record<string, unknown>>,
  state: string,
): readonly StayingEvent[] => {
  const { on, after } = (definition.states as States)[state] ?? { on: {}, after: {} }
  return Object.entries({ ...on, ...after }).flatMap(([event, transitions]) => {
    const staying = transitions.filter(({ target }) => target === undefined || target === state)
    if (staying.length === 0) return []
    return [
      {
        event,
        guards: staying.flatMap(({ guard }) => (guard === undefined ? [] : [guard])),
        published: staying.flatMap(({ actions }) => actions.flatMap(({ params }) => (params ? [params.event] : []))),
      },
    ]
  })
}
