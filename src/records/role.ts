import { type } from 'arktype'
import { lazy } from '../lazy.ts'

export const role = lazy(() => type("'owner' | 'developer' | 'viewer'"))
