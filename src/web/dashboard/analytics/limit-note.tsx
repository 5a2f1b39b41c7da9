import { NoteBox } from '../../parts/note.tsx'
import { useAddressQuery } from '../shell/filters.tsx'
import type { Limit } from './period.ts'
import { useAnalyticsTexts } from './texts.ts'

/** What is changed in the address, so that figures can be shown. */
const waysOut: Readonly<Record<Limit, Readonly<Record<string, string | undefined>>>> = {
  order: { range: undefined, from: undefined, to: undefined },
  buckets: { bucket: undefined },
  hours: { bucket: undefined },
  other_zone: { timeZone: undefined },
  other_zone_keys: { timeZone: undefined },
}

/** Why a period cannot be shown in this way, and a way in which it can. */
export const LimitNote = ({ limit }: { readonly limit: Limit }) => {
  const { limits } = useAnalyticsTexts()
  const query = useAddressQuery()
  const { title, what, action } = limits[limit]
  // Steps that fit were chosen already: only another period helps.
  const isEndless = limit === 'buckets' && query.get('bucket') === undefined
  return (
    <NoteBox
      title={title}
      actions={
        <a class="button" href={query.addressWith(waysOut[isEndless ? 'order' : limit])}>
          {action}
        </a>
      }
    >
      {what}
    </NoteBox>
  )
}
