/** The texts of the page of one invoice. */
export const invoiceEn = {
  details: 'Details',
}
