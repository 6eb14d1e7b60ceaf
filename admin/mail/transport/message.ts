/** A mail in nodemailer's format. */
import type { MailAddress } from '../../config/mail.ts';
import type { OutgoingMail } from './mailer.ts';

export function messageOf(mail: OutgoingMail, from: MailAddress) {
  return {
    // As objects, so that they are never parsed as a list of addresses.
    from,
    to: { name: '', address: mail.to },
    ...(mail.replyTo !== undefined && { replyTo: { name: '', address: mail.replyTo } }),
    messageId: `<${mail.key}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    date: mail.createdAt,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    attachments: (mail.attachments ?? []).map(({ name, mediaType, bytes }) => ({
      filename: name,
      contentType: mediaType,
      content: Buffer.from(bytes),
    })),
    headers: {
      // Prevents automatic replies, https://www.rfc-editor.org/rfc/rfc3834 §5.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(mail.unsubscribeUrl !== undefined && {
        // https://www.rfc-editor.org/rfc/rfc8058
        'List-Unsubscribe': `<${mail.unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
