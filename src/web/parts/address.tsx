import { Fragment } from 'preact'
import { CopyButton } from './copy.tsx'
import { useReader } from './reader.ts'

/** An id, a hash or an address in one line: the ends, which wallets show too, and a button that copies all of it. */
export const ShortHex = ({
  value,
  what,
  href,
}: {
  readonly value: string
  readonly what: string
  readonly href?: string
}) => {
  const text = shortenMiddle(value)
  return (
    <span class="short">
      {href === undefined ? (
        <span title={value}>{text}</span>
      ) : (
        <a href={href} title={value} rel="noreferrer">
          {text}
        </a>
      )}
      <CopyButton value={value} what={what} />
    </span>
  )
}

/** An address keeps six characters at each end, as wallets show it; a hash and an id keep four and their prefix. */
export const shortenMiddle = (value: string): string => {
  const prefix = /^(0x|[a-z]+_)/.exec(value)?.[0] ?? ''
  const kept = prefix === '0x' && value.length <= 42 ? 6 : 4
  return value.length <= prefix.length + 2 * kept + 2
    ? value
    : `${value.slice(0, prefix.length + kept)}…${value.slice(-kept)}`
}

/** All of an address, in groups of four. The gaps are margins: a selection copies the address without them. */
export const FullAddress = ({ value }: { readonly value: string }) => {
  const { texts } = useReader()
  const groups = value.slice(2).match(/.{1,4}/g) ?? []
  return (
    <span class="full-address">
      <code class="address" dir="ltr" data-value={value}>
        <span>0x</span>
        {groups.map((group, n) => (
          // Groups can be equal, and never change their order
          <Fragment key={n}>
            <span class={n === 0 || n === groups.length - 1 ? 'end' : undefined}>{group}</span>
            <wbr />
          </Fragment>
        ))}
      </code>
      <CopyButton value={value} what="">
        {texts.copyAddress}
      </CopyButton>
    </span>
  )
}
