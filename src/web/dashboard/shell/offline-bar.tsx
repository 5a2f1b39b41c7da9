import { useContext, useEffect } from 'preact/hooks'
import { connection } from '../../api/connection.ts'
import { CacheContext } from '../../api/query.ts'
import { send } from '../../api/request.ts'
import { Icon } from '../../parts/icon.tsx'
import { useReader } from '../../parts/reader.ts'
import { useTexts } from './texts.ts'

const RETRY_MS = 15_000

/** Says since when the server cannot be reached. Shown pages are asked for again every 15 seconds, and when the network is back. */
export const OfflineBar = () => {
  const { offline } = useTexts()
  const { formats } = useReader()
  const cache = useContext(CacheContext)
  const state = connection.value
  /** The first request finds out whether the server is back, also on pages that show no records. */
  const retry = async () => {
    await send('findOwnSession', {}).catch(() => {})
    if (connection.peek().phase === 'online') await cache.refetchQueries({ type: 'active' })
  }
  useEffect(() => {
    if (state.phase === 'online') return
    const timer = setInterval(retry, RETRY_MS)
    addEventListener('online', retry)
    return () => {
      clearInterval(timer)
      removeEventListener('online', retry)
    }
  }, [state.phase])
  return (
    <div class="offline" role="status">
      {state.phase === 'offline' && (
        <p>
          <Icon name="offline" />
          <span>
            <b>{offline.since(formats.time(state.since))}</b> {offline.what}
          </span>
          <button type="button" class="link" onClick={retry}>
            {offline.tryNow}
          </button>
        </p>
      )}
    </div>
  )
}
