import { type } from 'arktype'
import { lazy } from '../lazy.ts'

/** What a member of a merchant may do. */
export const role = lazy(() => type("'owner' | 'developer' | 'viewer'"))
