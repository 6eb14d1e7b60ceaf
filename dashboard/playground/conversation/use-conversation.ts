/** The conversation of this tab, for components. */
import { useSyncExternalStore } from 'react';
import { type ConversationState, conversation } from './conversation.ts';

export const useConversation = (): ConversationState =>
  useSyncExternalStore(conversation.subscribe, conversation.state);
