import { parseEnv } from '../../src/env.ts'
import { openKeyring } from '../../src/keyring.ts'
import { openPoster } from '../../src/webhooks/post.ts'

export const keyring = openKeyring('a secret key for tests and for nothing else')

/** One that may call this machine. */
export const loopbackPoster = () => openPoster({ rules: parseEnv({ WEBHOOK_ALLOW: '127.0.0.0/8' }).webhooks })
