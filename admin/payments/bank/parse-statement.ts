/**
 * Reads a bank statement in the exchange format of 1C, `1CClientBankExchange`
 * (https://v8.1c.ru/tekhnologii/obmen-dannymi-i-integratsiya/standarty-i-formaty/standart-obmena-s-sistemami-klient-banka/):
 * lines of `name=value`, with a section for each transfer. Only transfers that came to the seller's account are returned.
 * Anything that does not fit is a mistake: a statement is taken whole or not at all.
 */
import { type MinorUnits, minorUnits, parseMinorUnits } from '../../money/payment-money.ts';
import { BankStatementError, type StatementProblem } from './statement-error.ts';

/** Money that arrived. */
export interface StatementLine {
  /** The day on which the bank booked it, like "2030-01-31". */
  readonly bankDate: string;
  readonly number: string;
  readonly amountKopecks: MinorUnits;
  readonly payerAccount: string;
  /** Empty if the statement does not say it. */
  readonly payerInn: string;
  readonly payerName: string;
  readonly purpose: string;
}

export const statementMaxBytes = 5 * 1024 * 1024;
const documentsMax = 5_000;
const problemsMax = 20;
const valueMaxLength = 2_000;
const header = '1CClientBankExchange';

interface Section {
  readonly startsAt: number;
  readonly values: Map<string, { readonly value: string; readonly line: number }>;
}

/** Throws BankStatementError. */
export function parseStatement(text: string, sellerAccount: string): StatementLine[] {
  const reader = new StatementReader(text);
  const accounts = reader.accounts;
  if (reader.problems.length === 0 && accounts.size > 0 && !accounts.has(sellerAccount)) {
    const message = `the statement is of account ${[...accounts].join(', ')}, the seller's is ${sellerAccount}`;
    reader.report(undefined, message);
  }
  const lines = reader.documents.flatMap((section) => reader.readDocument(section, sellerAccount) ?? []);
  if (reader.problems.length > 0) throw new BankStatementError(reader.problems);
  return lines;
}

class StatementReader {
  readonly problems: StatementProblem[] = [];
  readonly documents: Section[] = [];
  /** Whose statement it is. */
  readonly accounts = new Set<string>();

  constructor(text: string) {
    const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
    if (lines[0]?.trim() !== header) {
      this.report(1, `a statement begins with ${header}`);
      return;
    }
    this.#readSections(lines);
  }

  report(line: number | undefined, message: string): void {
    if (this.problems.length < problemsMax) this.problems.push({ line, message });
  }

  /** Undefined for money that left the account, and for what is wrong. */
  readDocument(section: Section, sellerAccount: string): StatementLine | undefined {
    const of = (...names: string[]) => names.map((name) => section.values.get(name)?.value ?? '').find(Boolean) ?? '';
    const receiver = of('ПолучательРасчСчет', 'ПолучательСчет');
    const payerAccount = of('ПлательщикРасчСчет', 'ПлательщикСчет');
    if (receiver !== sellerAccount) {
      if (payerAccount !== sellerAccount) {
        this.#reportAt(section, 'ПолучательСчет', `the transfer is neither to nor from the account ${sellerAccount}`);
      }
      return undefined;
    }
    const number = this.#require(section, 'Номер', of('Номер'));
    const bankDate = this.#readDate(section, of('ДатаПоступило'));
    const amountKopecks = this.#readAmount(section, of('Сумма'));
    const account = this.#require(section, 'ПлательщикСчет', payerAccount);
    const payerInn = of('ПлательщикИНН');
    if (payerInn !== '' && !/^(?:\d{10}|\d{12}|0)$/.test(payerInn)) {
      this.#reportAt(section, 'ПлательщикИНН', 'expected an INN of 10 or 12 digits');
    }
    if (number === undefined || bankDate === undefined || amountKopecks === undefined || account === undefined)
      return undefined;
    const purpose = [1, 2, 3, 4, 5, 6].map((part) => of(`НазначениеПлатежа${part}`)).filter(Boolean);
    return {
      bankDate,
      number,
      amountKopecks,
      payerAccount: account,
      payerInn: payerInn === '0' ? '' : payerInn,
      payerName: of('Плательщик1', 'Плательщик'),
      purpose: of('НазначениеПлатежа') || purpose.join(' '),
    };
  }

  #readSections(lines: readonly string[]): void {
    let section: Section | undefined;
    let isEnded = false;
    for (const [index, raw] of lines.entries()) {
      const number = index + 1;
      const line = raw.trim();
      if (line === '' || index === 0) continue;
      if (isEnded) {
        this.report(number, 'there is something behind КонецФайла');
        return;
      }
      if (line === 'КонецФайла') isEnded = true;
      else if (line === 'КонецДокумента') {
        if (section === undefined) this.report(number, 'КонецДокумента without a СекцияДокумент');
        else this.#keep(section);
        section = undefined;
      } else section = this.#readLine(line, number, section);
    }
    if (section !== undefined) this.report(section.startsAt, 'the section has no КонецДокумента');
    if (!isEnded) this.report(lines.length, 'the file is cut off: it does not end with КонецФайла');
  }

  /** Returns the section that the following lines belong to. */
  #readLine(line: string, number: number, section: Section | undefined): Section | undefined {
    const equals = line.indexOf('=');
    const [name, value] =
      equals < 0 ? [line, undefined] : [line.slice(0, equals).trim(), line.slice(equals + 1).trim()];
    if (name === 'СекцияДокумент') {
      if (section !== undefined) this.report(section.startsAt, 'the section has no КонецДокумента');
      return { startsAt: number, values: new Map() };
    }
    if (value === undefined) {
      if (name !== 'СекцияРасчСчет' && name !== 'КонецРасчСчет') this.report(number, 'expected name=value');
    } else if (value.includes('\0')) {
      this.report(number, `'${name}' has a NUL character`);
    } else if (value.length > valueMaxLength) {
      this.report(number, `'${name}' has more than ${valueMaxLength} characters`);
    } else if (section === undefined) {
      if (name === 'РасчСчет' && value !== '') this.accounts.add(value);
    } else if (section.values.has(name)) {
      this.report(number, `'${name}' appears twice`);
    } else section.values.set(name, { value, line: number });
    return section;
  }

  #keep(section: Section): void {
    if (this.documents.length === documentsMax) this.report(section.startsAt, `more than ${documentsMax} transfers`);
    if (this.documents.length < documentsMax) this.documents.push(section);
  }

  #require(section: Section, name: string, value: string): string | undefined {
    if (value !== '') return value;
    this.#reportAt(section, name, `'${name}' is missing`);
    return undefined;
  }

  #readDate(section: Section, value: string): string | undefined {
    const name = 'ДатаПоступило';
    if (this.#require(section, name, value) === undefined) return undefined;
    const [, day, month, year] = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(value) ?? [];
    const date = `${year}-${month}-${day}`;
    const instant = new Date(`${date}T00:00:00Z`);
    // 31.02.2030 would become a day in March.
    if (!Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date)) return date;
    this.#reportAt(section, name, 'expected a date like 31.01.2030');
    return undefined;
  }

  #readAmount(section: Section, value: string): MinorUnits | undefined {
    if (this.#require(section, 'Сумма', value) === undefined) return undefined;
    const amount = /^\d{1,13}(?:[.,]\d{1,2})?$/.test(value) ? parseMinorUnits(value.replace(',', '.')) : minorUnits(0n);
    if (amount > 0n) return amount;
    this.#reportAt(section, 'Сумма', 'expected an amount above 0 like 1000.00');
    return undefined;
  }

  /** At the field, or at the section if it has none. */
  #reportAt({ startsAt, values }: Section, name: string, message: string): void {
    this.report(values.get(name)?.line ?? startsAt, message);
  }
}
