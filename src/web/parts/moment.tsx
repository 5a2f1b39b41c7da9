import { useReader } from './reader.ts'

type MomentProps = {
  readonly at: string
  /** Without seconds, for lists. */
  readonly short?: boolean
  /** How long ago that is, beside it. */
  readonly relative?: boolean
}

/** A time, exact to the second; in lists the second is in the title. */
export const Moment = ({ at, short, relative }: MomentProps) => {
  const { formats, now } = useReader()
  const exact = formats.exact(at)
  return (
    <span class="moment">
      <time datetime={at} title={short ? exact : undefined}>
        {short ? formats.listed(at, now.value) : exact}
      </time>
      {relative && <span class="moment__relative">{formats.relative(at, now.value)}</span>}
    </span>
  )
}
