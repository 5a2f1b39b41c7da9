import { type } from 'arktype'
import { searchActors } from '../../queries/ops/search.ts'
import { searchActorsDocs } from '../docs/ops.ts'
import { forOperators, type Route } from '../route.ts'
import { boundedText } from '../text.ts'
import { summaryOf } from './actor-view.ts'

export const opsSearchRoutes: readonly Route[] = [
  forOperators(
    'GET',
    {},
    {
      path: '/v1/ops/search',
      docs: searchActorsDocs,
      query: () => type({ 'q?': boundedText(1, 200) }),
      handle: async ({ sql }, { query }) => {
        const found = query.q === undefined ? [] : await searchActors(sql, query.q.trim())
        return { status: 200, body: { object: 'list', data: found.map(summaryOf), has_more: false } }
      },
    },
  ),
]
