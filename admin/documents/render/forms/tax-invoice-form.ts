/** Счет-фактура: for an advance, or for the services of a month beside the act. */
import type { AdvanceInvoiceData, ServiceData } from '../../document-data.ts';
import type { Paper } from '../page/paper.ts';
import { formatAdvanceRate, formatAmount, subtract } from '../text/amounts.ts';
import { reference } from '../text/dates.ts';
import {
  dash,
  drawLines,
  drawTable,
  drawTaxInvoiceSigners,
  drawTitle,
  serviceLine,
  type TaxInvoice,
  tableHeight,
} from './tax-invoice-part.ts';

export function drawTaxInvoice(paper: Paper, data: ServiceData | AdvanceInvoiceData): void {
  const invoice = data.type === 'advance_invoice' ? ofAdvance(data) : ofServices(data, shipmentOf(data));
  const place = { x: paper.left, width: paper.width };
  drawTitle(paper, invoice, place);
  drawLines(paper, invoice, place, false);
  paper.room(tableHeight(paper, invoice));
  drawTable(paper, invoice, place);
  drawTaxInvoiceSigners(paper, data.seller, place);
}

export function ofServices(data: ServiceData, shipment: string): TaxInvoice {
  const { service, amount, vat, payments, advanceInvoices = [] } = data;
  return {
    ...data,
    shipment,
    payments: payments.map((payment) => reference(payment.reference, payment.date)),
    advances: advanceInvoices.map(({ number, date }) => reference(number, date)),
    line: serviceLine(service, amount, vat),
    totals: {
      net: formatAmount(vat === undefined ? amount : subtract(amount, vat.amount)),
      tax: vat === undefined ? 'без НДС' : formatAmount(vat.amount),
      gross: formatAmount(amount),
    },
  };
}

/** Nothing is delivered yet: the form wants dashes for quantities, prices and countries. */
function ofAdvance(data: AdvanceInvoiceData): TaxInvoice {
  const { service, amount, vat, payment } = data;
  const tax = formatAmount(vat.amount);
  const gross = formatAmount(amount);
  const goods = Array.from({ length: 7 }, () => dash);
  return {
    ...data,
    payments: [reference(payment.reference, payment.date)],
    shipment: dash,
    advances: [],
    line: [service, ...goods, formatAdvanceRate(vat.rate), tax, gross, dash, dash, dash],
    totals: { net: dash, tax, gross },
  };
}

function shipmentOf({ act }: ServiceData): string {
  return act === undefined ? dash : `Акт об оказании услуг, ${reference(act.number, act.date)}`;
}
