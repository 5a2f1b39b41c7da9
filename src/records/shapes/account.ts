import { type } from 'arktype'
import { exampleId } from '../../fields/examples.ts'
import { shape } from '../../fields/shape.ts'
import { idOf } from '../../fields/wire.ts'
import { lazy } from '../../lazy.ts'
import { role } from '../role.ts'

const accountType = lazy(() =>
  type({
    user: { id: idOf('usr'), email: 'string', mfaEnabled: 'boolean', operator: 'boolean' },
    merchants: type({ id: idOf('mer'), name: 'string', role: role() }).array(),
  }),
)

const account = {
  user: { id: exampleId('member'), email: 'anna@lamps.shop', mfaEnabled: false, operator: false },
  merchants: [{ id: exampleId('merchant'), name: 'Lamps', role: 'owner' }],
}

export const accountShape = shape({ name: 'Account', type: accountType, example: account })

const tokens = lazy(() => type({ accessToken: 'string', expiresIn: 'number.integer' }))

/** The response to a sign-up, a sign-in, an accepted invite, and a refresh. */
export const signedInShape = shape({
  name: 'SignedIn',
  type: () => tokens().merge(accountType()),
  example: { accessToken: 'eyJhbGciOiJIUzI1NiIs…', expiresIn: 900, ...account },
})
