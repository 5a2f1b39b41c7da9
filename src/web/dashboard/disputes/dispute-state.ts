import type { Dispute } from '../../api/calls.ts'
import type { StatePath } from '../../parts/state-strip.tsx'
import type { DisputeTexts } from './texts.ts'

/** How far a dispute got on its main path. */
export const disputePath = ({ status }: Dispute, { states }: DisputeTexts): StatePath => {
  const words = [states.needs_response, states.under_review, states.decided]
  switch (status) {
    case 'needs_response':
      return { words, at: 0, shape: 'warn', tone: 'warn' }
    case 'under_review':
      return { words, at: 1, tone: 'info' }
    case 'won':
      return { words, at: 2, word: states.won, shape: 'done', tone: 'good' }
    default:
      return { words, at: 2, word: states.lost, shape: 'bad', tone: 'bad' }
  }
}

export const isDisputeOver = ({ status }: Dispute): boolean => status === 'won' || status === 'lost'
