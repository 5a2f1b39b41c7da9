import { useLocation } from 'preact-iso'
import { StateMark } from '../../parts/state-mark.tsx'
import { useOpsTexts } from '../shell/texts.ts'
import type { Failure } from './words.ts'

/** What does not work, each with what to do and where more is shown. */
export const FailureList = ({ failures }: { readonly failures: readonly Failure[] }) => {
  const { health } = useOpsTexts()
  const { path: here } = useLocation()
  return (
    <ul class="asks">
      {failures.map(({ tone, title, what, path }) => (
        <li key={title + what} data-tone={tone}>
          <StateMark shape={tone} />
          <div>
            <b>{title}</b>
            <p>{what}</p>
          </div>
          {path !== here && (
            <a class="button" href={hrefFrom(here, path)}>
              {health.open}
              <span class="sr"> {title}</span>
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

/** On the same page the browser scrolls by itself, each time. */
const hrefFrom = (here: string, path: string): string => (path.startsWith(`${here}#`) ? path.slice(here.length) : path)
