// The part of Shopify's GraphQL Admin API that orders and fulfillments need, by its public documentation.
import { buildSchema } from "graphql";

export const schema = buildSchema(`
scalar DateTime
scalar URL
scalar Decimal

type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type MoneyV2 { amount: Decimal! currencyCode: String! }
type MoneyBag { shopMoney: MoneyV2! presentmentMoney: MoneyV2! }
type Attribute { key: String! value: String }
interface Node { id: ID! }
type ProductVariant {
  id: ID! sku: String barcode: String displayName: String! requiresComponents: Boolean! inventoryItem: InventoryItem!
}
type ProductVariantConnection { nodes: [ProductVariant!]! pageInfo: PageInfo! }
type Product { id: ID! }
type Location implements Node { id: ID! name: String! isActive: Boolean! }
type LocationConnection { nodes: [Location!]! pageInfo: PageInfo! }
type InventoryItem implements Node {
  id: ID! sku: String tracked: Boolean! inventoryLevel(locationId: ID!): InventoryLevel
}
type InventoryQuantity { name: String! quantity: Int! }
type InventoryLevel { id: ID! isActive: Boolean! quantities(names: [String!]!): [InventoryQuantity!]! }
type MailingAddress {
  name: String company: String address1: String address2: String city: String province: String provinceCode: String
  zip: String country: String countryCodeV2: String phone: String firstName: String lastName: String
}
type ShippingLine {
  id: ID title: String! isRemoved: Boolean! originalPriceSet: MoneyBag! discountedPriceSet: MoneyBag! code: String
}
type ShippingLineConnection { nodes: [ShippingLine!]! pageInfo: PageInfo! }
type LineItem {
  id: ID! name: String! title: String! sku: String quantity: Int! currentQuantity: Int! unfulfilledQuantity: Int!
  requiresShipping: Boolean!
  isGiftCard: Boolean! customAttributes: [Attribute!]! variant: ProductVariant product: Product
  originalUnitPriceSet: MoneyBag! discountAllocations: [DiscountAllocation!]!
}
type DiscountAllocation { allocatedAmountSet: MoneyBag! }
type LineItemConnection { nodes: [LineItem!]! pageInfo: PageInfo! }

enum FulfillmentStatus { CANCELLED ERROR FAILURE OPEN PENDING SUCCESS }
enum FulfillmentOrderStatus { CANCELLED CLOSED INCOMPLETE IN_PROGRESS ON_HOLD OPEN SCHEDULED }
enum FulfillmentOrderAction { CREATE_FULFILLMENT HOLD MOVE RELEASE_HOLD SPLIT }
enum OrderDisplayFinancialStatus {
  AUTHORIZED EXPIRED PAID PARTIALLY_PAID PARTIALLY_REFUNDED PENDING REFUNDED VOIDED
}
enum OrderDisplayFulfillmentStatus {
  FULFILLED IN_PROGRESS ON_HOLD OPEN PARTIALLY_FULFILLED PENDING_FULFILLMENT REQUEST_DECLINED RESTOCKED SCHEDULED
  UNFULFILLED
}
enum OrderSortKeys { CREATED_AT ID ORDER_NUMBER PROCESSED_AT UPDATED_AT }

type FulfillmentTrackingInfo { company: String number: String url: URL }
type FulfillmentLineItem { id: ID! quantity: Int lineItem: LineItem! }
type FulfillmentLineItemConnection { nodes: [FulfillmentLineItem!]! pageInfo: PageInfo! }
type Fulfillment {
  id: ID! status: FulfillmentStatus! createdAt: DateTime! trackingInfo(first: Int): [FulfillmentTrackingInfo!]!
  fulfillmentLineItems(first: Int, after: String): FulfillmentLineItemConnection!
}
type FulfillmentOrderSupportedAction { action: FulfillmentOrderAction! externalUrl: URL }
type FulfillmentOrderAssignedLocation { name: String! location: Location }
type FulfillmentOrderLineItem { id: ID! remainingQuantity: Int! totalQuantity: Int! lineItem: LineItem! }
type FulfillmentOrderLineItemConnection { nodes: [FulfillmentOrderLineItem!]! pageInfo: PageInfo! }
enum DeliveryMethodType { LOCAL NONE PICKUP_POINT PICK_UP RETAIL SHIPPING }
type DeliveryMethod { methodType: DeliveryMethodType! }
type FulfillmentOrder {
  deliveryMethod: DeliveryMethod
  id: ID! status: FulfillmentOrderStatus! supportedActions: [FulfillmentOrderSupportedAction!]!
  assignedLocation: FulfillmentOrderAssignedLocation!
  lineItems(first: Int, after: String): FulfillmentOrderLineItemConnection!
}
type FulfillmentOrderConnection { nodes: [FulfillmentOrder!]! pageInfo: PageInfo! }

type Order {
  id: ID! legacyResourceId: String! name: String! email: String phone: String note: String currencyCode: String!
  test: Boolean!
  customAttributes: [Attribute!]!
  createdAt: DateTime! updatedAt: DateTime! cancelledAt: DateTime closedAt: DateTime
  displayFinancialStatus: OrderDisplayFinancialStatus displayFulfillmentStatus: OrderDisplayFulfillmentStatus!
  billingAddress: MailingAddress shippingAddress: MailingAddress
  shippingLines(first: Int, after: String): ShippingLineConnection!
  lineItems(first: Int, after: String): LineItemConnection!
  fulfillments(first: Int): [Fulfillment!]!
  fulfillmentOrders(first: Int, after: String): FulfillmentOrderConnection!
}
type OrderConnection { nodes: [Order!]! pageInfo: PageInfo! }

type Query {
  order(id: ID!): Order
  orders(first: Int, after: String, sortKey: OrderSortKeys, reverse: Boolean, query: String): OrderConnection!
  fulfillment(id: ID!): Fulfillment
  fulfillmentOrder(id: ID!): FulfillmentOrder
  locations(first: Int, after: String, includeInactive: Boolean = false): LocationConnection!
  productVariants(first: Int, after: String): ProductVariantConnection!
  nodes(ids: [ID!]!): [Node]!
  currentAppInstallation: AppInstallation!
  webhookSubscriptions(first: Int, after: String): WebhookSubscriptionConnection!
}
type AccessScope { handle: String! description: String! }
type AppInstallation { id: ID! accessScopes: [AccessScope!]! }
enum WebhookSubscriptionTopic { ORDERS_CREATE ORDERS_UPDATED ORDERS_CANCELLED }
input WebhookSubscriptionInput { uri: String filter: String }
type WebhookSubscriptionCreatePayload { webhookSubscription: WebhookSubscription userErrors: [UserError!]! }
type WebhookSubscription { id: ID! topic: String! uri: String! }
type WebhookSubscriptionConnection { nodes: [WebhookSubscription!]! pageInfo: PageInfo! }

input FulfillmentOrderLineItemInput { id: ID! quantity: Int! }
input FulfillmentOrderLineItemsInput {
  fulfillmentOrderId: ID! fulfillmentOrderLineItems: [FulfillmentOrderLineItemInput!]
}
input FulfillmentTrackingInput { company: String number: String numbers: [String!] url: URL urls: [URL!] }
input FulfillmentInput {
  lineItemsByFulfillmentOrder: [FulfillmentOrderLineItemsInput!]! notifyCustomer: Boolean = false
  trackingInfo: FulfillmentTrackingInput
}
type UserError { field: [String!] message: String! }
type FulfillmentCreatePayload { fulfillment: Fulfillment userErrors: [UserError!]! }

directive @idempotent(key: String!) on FIELD
input InventoryQuantityInput { changeFromQuantity: Int inventoryItemId: ID! locationId: ID! quantity: Int! }
input InventorySetQuantitiesInput {
  name: String! reason: String! referenceDocumentUri: String quantities: [InventoryQuantityInput!]!
}
enum InventorySetQuantitiesUserErrorCode {
  CHANGE_FROM_QUANTITY_STALE IDEMPOTENCY_CONCURRENT_REQUEST IDEMPOTENCY_KEY_PARAMETER_MISMATCH INVALID_INVENTORY_ITEM
  INVALID_LOCATION INVALID_NAME INVALID_QUANTITY_NEGATIVE INVALID_QUANTITY_TOO_HIGH INVALID_REASON
  ITEM_NOT_STOCKED_AT_LOCATION NON_MUTABLE_INVENTORY_ITEM
}
type InventorySetQuantitiesUserError {
  code: InventorySetQuantitiesUserErrorCode field: [String!] message: String!
}
type InventoryChange { name: String! delta: Int! quantityAfterChange: Int item: InventoryItem location: Location }
type InventoryAdjustmentGroup { reason: String! changes: [InventoryChange!]! }
type InventorySetQuantitiesPayload {
  inventoryAdjustmentGroup: InventoryAdjustmentGroup userErrors: [InventorySetQuantitiesUserError!]!
}
type InventoryActivatePayload { inventoryLevel: InventoryLevel userErrors: [UserError!]! }
type Mutation {
  webhookSubscriptionCreate(
    topic: WebhookSubscriptionTopic!, webhookSubscription: WebhookSubscriptionInput!
  ): WebhookSubscriptionCreatePayload
  fulfillmentCreate(fulfillment: FulfillmentInput!, message: String): FulfillmentCreatePayload
  inventorySetQuantities(input: InventorySetQuantitiesInput!): InventorySetQuantitiesPayload
  inventoryActivate(
    inventoryItemId: ID!, locationId: ID!, available: Int, onHand: Int
  ): InventoryActivatePayload
}
`);
