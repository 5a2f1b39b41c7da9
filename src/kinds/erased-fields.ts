/**
 * The fields of records with personal data of a customer, by the `object` of the records, and their values after it was
 * erased. The stored copies of records get these values; the rows of the records get them by erase_customer() in
 * sql/113-customers-functions.sql.
 */
export const erasedFields = (email: string) => ({
  customer: {
    ...{ email, name: null, company: null, taxId: null, address: null, locale: null, reference: null },
    ...{ aliases: [], metadata: {} },
  },
  // As it was issued: the invoice itself keeps it.
  invoice: { customer: null },
  payment: { customerEmail: email, customerName: null },
  dispute: {
    description: null,
    evidence: {
      uncategorizedText: null,
      customerCommunication: null,
      shippingTrackingNumber: null,
      refundPolicy: null,
    },
  },
})
