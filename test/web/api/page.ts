import { openLive } from '../../../src/web/api/live.ts'
import { requestFor } from '../../../src/web/api/request.ts'
import { openBrowserSession } from '../../../src/web/api/session.ts'

/** What a test does in a browser. */
Object.assign(globalThis, { openLive, openBrowserSession, requestFor })
