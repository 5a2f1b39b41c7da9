import { billingSettingsRecord } from '../../records/billing-settings.ts'
import type { Docs } from './docs.ts'

export const getBillingSettingsDocs: Docs = {
  operation: 'getBillingSettings',
  summary: 'Retrieve the billing settings',
  description: 'Settings for invoices and credit notes. They apply to both modes.',
  answers: { 200: billingSettingsRecord },
}

export const updateBillingSettingsDocs: Docs = {
  operation: 'updateBillingSettings',
  summary: 'Update the billing settings',
  description:
    'Fields that are not sent do not change. Documents that were issued never change. Invoices in live mode can be finalized once `legalName` and `address` are set.\n\n`nextNumber` sets the number of the next invoice of the current year, or of the only series if numbers never restart. It can be raised before the first number of the series is given, not later: 409. It applies to both modes, or with `livemode=true` to live mode only. `timeZone` can be changed once in 24 hours: 409.',
  answers: { 200: billingSettingsRecord },
  refusals: ['parameter_missing', 'state_conflict'],
  example: {
    legalName: 'Lamps Ltd',
    address: { line1: '12 Byron Street', city: 'London', postalCode: 'N1 7AA', country: 'GB' },
    timeZone: 'Europe/London',
    taxRateBps: 2000,
  },
}
