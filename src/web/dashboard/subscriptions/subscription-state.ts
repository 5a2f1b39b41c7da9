import type { SubscriptionWithLines } from '../../api/calls.ts'
import type { StatePath } from '../../parts/state-strip.tsx'
import type { SubscriptionsTexts } from './texts.ts'

type Stated = Pick<SubscriptionWithLines, 'status' | 'trialEndsAt'>

/** How far a subscription got on its main path. */
export const subscriptionPath = (
  { status, trialEndsAt }: Stated,
  { path, states }: Pick<SubscriptionsTexts, 'path' | 'states'>,
): StatePath => {
  const words = [trialEndsAt === null ? path.begin : path.trial, path.active, path.end]
  const word = states[status]
  switch (status) {
    case 'incomplete':
      return { words, at: 0, word, tone: 'info' }
    case 'trialing':
      return { words, at: 0, tone: 'info' }
    case 'active':
      return { words, at: 1, tone: 'good' }
    case 'past_due':
      return { words, at: 1, word, shape: 'warn', tone: 'warn' }
    case 'paused':
      return { words, at: 1, word, shape: 'over', tone: 'quiet' }
    case 'canceled':
      return { words, at: 2, word, shape: 'off', tone: 'quiet' }
    case 'expired':
      return { words, at: 0, word, shape: 'over', tone: 'quiet' }
    case 'completed':
      return { words, at: 2, word, shape: 'done', tone: 'good' }
  }
}

export const isSubscriptionOver = ({ status }: Pick<SubscriptionWithLines, 'status'>): boolean =>
  status === 'canceled' || status === 'expired' || status === 'completed'
